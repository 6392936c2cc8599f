import { choice, optionalAmount, section } from "./setting.ts";

export const budgetSections = {
  budget: section(
    {
      description: "Money limits. A model call is admitted only while its reservation fits.",
      category: "Budget",
      reload: "now",
    },
    {
      session_usd: optionalAmount("Most one session may cost, in dollars."),
      daily_usd: optionalAmount("Most all sessions together may cost per day, in dollars."),
      delegation_tree_usd: optionalAmount(
        "Most one delegated task and everything below it may cost together, in dollars.",
      ),
      mode: choice(
        ["soft", "hard"],
        "soft",
        "`soft` says so when a limit is passed; `hard` stops before the next call.",
      ),
      unknown_price: choice(
        ["allow", "refuse"],
        "allow",
        "What to do, while a limit is set, with a model whose price is not known.",
      ),
    },
  ),
};
