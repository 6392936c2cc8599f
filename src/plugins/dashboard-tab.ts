/** What a plugin shows in the dashboard. */
export interface DashboardTab {
  /** The key of the plugin. */
  readonly name: string;
  readonly title: string;
  /** The page; what lies in its folder is served beside it. */
  readonly page: string;
  /** What the code of the plugin wrote for its page to show; need not be there. */
  readonly dataFile: string;
}
