import { chown, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSandbox } from './probe.ts';
import type { CommandOutcome, ConfinedCommand, Sandbox } from './sandbox.ts';

/** The ID of an ordinary user that exists almost everywhere. */
export const NOBODY = 65534;

/**
 * The sandbox of this machine, for tests that need a real one. Without bubblewrap they are skipped on a developer's
 * machine, but fail in CI, because no other tests cover the sandbox.
 */
export async function sandboxUnderTest(): Promise<Sandbox | undefined> {
  const sandbox = await openSandbox();
  if (sandbox.report.available && sandbox.report.kind === 'bubblewrap') return sandbox;
  if (process.env.CI)
    throw new Error(`CI must have a sandbox: ${sandbox.report.reason} ${sandbox.report.hint}`);
  console.warn(`Skipped: ${sandbox.report.reason}`);
  return undefined;
}

export interface TemporaryFolder extends AsyncDisposable {
  path: string;
}

/** A new folder that is removed at the end of its block. */
export async function temporaryFolder(owner?: number): Promise<TemporaryFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'loupe-test-')));
  if (owner !== undefined) await chown(path, owner, owner);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Runs a shell command line in a sandbox. */
export function runShell(
  sandbox: Sandbox,
  workspace: string,
  script: string,
  options: Partial<ConfinedCommand> = {},
): Promise<CommandOutcome> {
  return sandbox.run({ workspace, argv: ['/bin/sh'], script, timeoutMs: 20_000, ...options });
}
