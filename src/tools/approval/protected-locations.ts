/** What in folders of secrets everybody may see. */
export const publicInSecret =
  /\.pub$|\/known_hosts(?:\.old)?$|\/\.ssh\/config$|\/\.kube\/cache(?:\/|$)|\/\.aws\/config$|\/\.docker\/(?:contexts|cli-plugins)(?:\/|$)/;

/** Below a home folder: what is read when somebody logs in or starts a program, and so runs by itself. */
export const startHomePaths: readonly RegExp[] = [
  /^\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|bash_completion|profile|zshrc|zshenv|zprofile|zlogin|zlogout|zsh_aliases|kshrc|mkshrc|cshrc|tcshrc|login|logout|inputrc|xinitrc|xsession|xsessionrc|xprofile|xserverrc|pam_environment|environment|vimrc|gvimrc|exrc|emacs|nanorc|tmux\.conf|screenrc|wgetrc|curlrc|gitconfig|gitattributes|hgrc|npmrc|yarnrc|yarnrc\.yml|pythonrc|pythonrc\.py|pryrc|irbrc|Rprofile|Renviron|ghci|gdbinit|lldbinit|sqliterc|psqlrc|my\.cnf|lesskey|lessfilter|dircolors|forward|procmailrc|muttrc|mailcap|editrc|direnvrc|envrc|condarc|gemrc|bundle\/config|cargo\/config(?:\.toml)?|m2\/settings\.xml|gradle\/init\.gradle)$/,
  /^\.(?:vim|emacs\.d|oh-my-zsh|bash_it|bash_completion\.d|zfunc|config|local\/(?:bin|share\/(?:applications|systemd|dbus-1|bash-completion|zsh|fish|nautilus|gnome-shell|plasma|kservices5))|ssh|pip|ipython|jupyter|gnupg|vscode|vscode-server|cursor|claude|codex|gemini|windsurf|continue|git-templates|githooks|nvm|pyenv|rbenv|asdf|cargo\/bin|npm-global|yarn|bun|deno|volta|dotnet\/tools)(?:\/|$)/,
  /^(?:bin|Library\/(?:LaunchAgents|LaunchDaemons|StartupItems|Scripts|Application Support\/Code|Preferences))(?:\/|$)/,
];

/** The folder of git keeps a history; only a few of its files are there to be written by hand. */
export const gitFolder = /(?:^|\/)\.git(?:\/(?!info\/exclude$|COMMIT_EDITMSG$|MERGE_MSG$|description$).*)?$/;

/** In any folder: files that a tool obeys once they are there. */
export const obeyedFiles =
  /(?:^|\/)(?:\.(?:npmrc|yarnrc|pnpmfile\.cjs|pypirc|netrc|gdbinit|lldbinit|vimrc|nvimrc|direnvrc|curlrc|wgetrc|condarc|Rprofile)|(?:site|user)customize\.py|[^/]+\.pth|authorized_keys2?|opencode\.json|\.github\/(?:workflows|actions)\/.+|\.gitlab-ci\.yml|\.circleci\/.+|\.travis\.yml|Jenkinsfile|azure-pipelines\.yml|bitbucket-pipelines\.yml|(?:\.bin|\.?venv\/bin|vendor\/bin)\/[^/]+)$/;

/** What package managers write down about what they fetched: by hand it says to fetch something else. */
export const lockFiles =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|Cargo\.lock|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|Gemfile\.lock|composer\.lock|go\.sum|mix\.lock|flake\.lock|\.terraform\.lock\.hcl)$/;
