/**
 * The workspace of a task: the first that is set of `repo_dir`, `workspace` and the working directory (T11). The server
 * always sets one, since its working directory is the application itself (K-33).
 */
export function resolveWorkspace(
  config: { repo_dir?: string; workspace?: string },
  workingDirectory: string,
): string {
  return config.repo_dir || config.workspace || workingDirectory;
}
