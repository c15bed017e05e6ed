/**
 * An environment with exactly these variables. Next.js declares NODE_ENV as required, which is true for this server but
 * not for the programs it starts.
 */
export function environment(variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...variables } as NodeJS.ProcessEnv;
}
