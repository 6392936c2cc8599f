import { describe, expect, it } from "vitest";
import { prepareRequest } from "../../prepare.ts";
import { history, lowered } from "../../testing/lowered.ts";
import { readFileTool, testRequest } from "../../testing/target.ts";

describe("Gemini", () => {
  it("writes contents, system instruction and declarations [20:R1.62]", async () => {
    const { path, body } = await lowered({
      protocol: "gemini_generate",
      system: "S",
      target: { model: "gemini-2.5-pro" },
      tools: [readFileTool],
      messages: history,
      options: { reasoning: "low", toolChoice: { name: "read_file" } },
    });
    expect(path).toBe("/models/gemini-2.5-pro:streamGenerateContent?alt=sse");
    expect(body).toEqual({
      contents: [
        { role: "user", parts: [{ text: "Read it" }] },
        { role: "model", parts: [{ functionCall: { name: "read_file", args: { a: { c: 3, d: 2 }, b: 1 } } }] },
        { role: "user", parts: [{ functionResponse: { name: "read_file", response: { output: "text" } } }] },
      ],
      systemInstruction: { parts: [{ text: "S" }] },
      tools: [
        {
          functionDeclarations: [
            { name: "read_file", description: "Reads a file.", parameters: readFileTool.parameters },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["read_file"] } },
      generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 4096 } },
    });
  });

  it("wraps the request for Code Assist [20:R1.63]", async () => {
    const { url, wire } = await prepareRequest(
      testRequest({
        protocol: "gemini_generate",
        target: { baseUrl: "cloudcode-pa://google", model: "gemini-3-pro" },
        quirks: { extraBody: { project: "p1" } },
      }),
    );
    expect(url.href).toBe("https://cloudcode-pa.googleapis.com/v1internal:streamGenerateContent?alt=sse");
    const body = JSON.parse(wire.body);
    expect(Object.keys(body)).toEqual(["project", "model", "user_prompt_id", "request"]);
    expect(body.project).toBe("p1");
  });

  it("vouches for calls that another model made, where Gemini 3 insists", async () => {
    const { body } = await lowered({
      protocol: "gemini_generate",
      target: { model: "gemini-3-pro" },
      messages: history,
    });
    expect(body.contents[1].parts[0].thoughtSignature).toBe("skip_thought_signature_validator");
  });
});
