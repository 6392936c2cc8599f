/** Files of a home folder that start programs or hold credentials. */
export const protectedHomeFiles: readonly string[] = [
  ".bashrc",
  ".zshrc",
  ".profile",
  ".bash_profile",
  ".zprofile",
  ".netrc",
  ".pgpass",
  ".npmrc",
  ".pypirc",
];

/** Folders of a home folder that hold credentials. */
export const protectedHomeFolders: readonly string[] = [
  ".ssh",
  ".aws",
  ".gnupg",
  ".kube",
  ".docker",
  ".azure",
  ".config/gh",
];
