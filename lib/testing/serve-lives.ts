/** What one life of a program needs to know, as environment variables. */
export type LifeEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The end of a script that `LifeProcess` starts: runs a life for each request, one after another, and sends back what it
 * returned as JSON, until the process is killed or the test disconnects.
 */
export function serveLives(life: (env: LifeEnvironment) => Promise<unknown>): void {
  process.on('message', async (env: LifeEnvironment) => {
    process.send?.(JSON.stringify(await life({ ...process.env, ...env })));
  });
}
