import type { Platform } from "../../platform/platform.ts";
import { allowedUsersField, filesUpTo, markdownTexts, plainCapabilities } from "../support/plain-platform.ts";
import { withoutBlankLines } from "./markup.ts";

const maxLength = 4000;
const largestFile = 20 * 1024 * 1024;

export const weixin: Platform = {
  id: "weixin",
  label: "Weixin",
  envPrefix: "WEIXIN",
  hasOwnRules: true,
  capabilities: plainCapabilities({
    maxLength,
    canType: true,
    media: filesUpTo(largestFile),
    settlesSends: "key",
    rate: { account: 5, chat: 2.8 },
  }),
  credentials: [
    {
      name: "account_id",
      variable: "WEIXIN_ACCOUNT_ID",
      question: "Account id (…@im.bot)",
      help: "The id that the login of the bot gave.",
      isSecret: false,
    },
    {
      name: "token",
      variable: "WEIXIN_TOKEN",
      question: "Token of the bot",
      help: "Given with the account id when the code was scanned.",
      isSecret: true,
    },
    allowedUsersField("WEIXIN", "A person's id (…@im.wechat) is shown in the log when they write."),
  ],
  lock: ({ platforms }) => ({ scope: "weixin-bot-token", identity: platforms["weixin"]?.token.reveal() ?? "" }),
  render: (markdown) => markdownTexts(withoutBlankLines(markdown), maxLength),
  readTarget: (text) =>
    /^(?:(?:wxid|gh)_[\w-]+|[\w-]+@(?:chatroom|im\.wechat)|filehelper)$/u.test(text) ? { chatId: text } : undefined,
  async connect(ports, signal) {
    const { connectWeixin } = await import("./connection.ts");
    return await connectWeixin(ports, signal);
  },
  async login(ports, signal) {
    const { loginToWeixin } = await import("./login.ts");
    return await loginToWeixin(ports, signal);
  },
};
