/**
 * An environment of exactly these variables. Next.js declares NODE_ENV as always present, which is right for this server
 * and wrong for the programs it starts.
 */
export function environment(variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...variables } as NodeJS.ProcessEnv;
}
