import type { Readable, Writable } from 'node:stream';
import type { CommandEnd } from './sandbox.ts';

/** A folder that a server may reach, at the same path as outside. */
export interface ServerFolder {
  /** Canonical, from `openWorkspace`. */
  path: string;
  access: 'read' | 'write';
}

/** A long-running program that talks over its standard streams. */
export interface ConfinedServer {
  argv: readonly [string, ...string[]];
  /** Canonical. Missing: its home folder. */
  cwd?: string | undefined;
  /** Added to PATH, HOME and LANG. */
  env: Readonly<Record<string, string>>;
  folders: readonly ServerFolder[];
  /** Whether it has this machine's network, with all ports of this machine; otherwise none at all. */
  network: boolean;
  /** Its own folder, which stays between starts. Canonical. */
  home: string;
}

/** How a server ended by itself or was killed for breaking a limit. */
export interface ServerEnd {
  end: CommandEnd;
  /** `undefined` if it was killed. 128 + n if signal n ended it. */
  exitCode: number | undefined;
}

/** A running server; none of its processes outlives `ended`. */
export interface ServerProcess {
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  /** Resolves when all its processes are gone. Never rejects. */
  ended: Promise<ServerEnd>;
  /** Kills it with everything it started. May be called repeatedly. */
  kill(): void;
}
