import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../errors/app-error.ts';
import { isNoSpace } from '../util/no-space.ts';
import { type BubblewrapFeatures, ETC_FILES } from './bubblewrap-args.ts';
import { makeDeviceNodes } from './device-nodes.ts';
import { environment } from './environment.ts';
import { holdFile } from './held-file.ts';
import { describeHost } from './host-system.ts';
import { endLeftovers } from './leftover-commands.ts';
import { findCgroupParents } from './process-cgroup.ts';
import { type BubblewrapSetup, runInBubblewrap } from './run-bubblewrap.ts';
import type { Protection, Sandbox } from './sandbox.ts';
import { inScratchPlace } from './scratch-place.ts';
import { openSeatbelt } from './seatbelt.ts';
import { seccompFilter } from './seccomp.ts';
import { startInBubblewrap } from './start-server.ts';
import { tryOut } from './trial-command.ts';
import { SANDBOX_WORKSPACE } from './workspace-path.ts';

/**
 * Opens the sandbox of this machine. Never throws: if none works, the report explains why, and commands are not offered.
 */
export async function openSandbox(): Promise<Sandbox> {
  try {
    return await sandboxOfPlatform();
  } catch (error) {
    if (!isNoSpace(error)) throw error;
    return unavailable(
      'There is no disk space for the temporary files that commands need.',
      `Free space on the disk that holds ${tmpdir()}, then start Loupe again.`,
    );
  }
}

async function sandboxOfPlatform(): Promise<Sandbox> {
  if (process.platform === 'darwin') {
    const opened = await openSeatbelt();
    return typeof opened === 'string'
      ? unavailable(
          opened,
          'Run Loupe in a Linux container to let models run commands. The file tools work here.',
        )
      : opened;
  }
  if (process.platform !== 'linux') {
    return unavailable(
      `Commands cannot be confined on ${process.platform}.`,
      'Run Loupe on Linux, in WSL 2 or in a Linux container to let models run commands. The file tools work here.',
    );
  }
  const setup = await bubblewrapSetup();
  if (setup === undefined) {
    return unavailable(
      'bubblewrap is not installed.',
      'Install it, for example with: sudo apt install bubblewrap. Then start Loupe again.',
    );
  }
  const folder = await realpath(inScratchPlace((place) => mkdtempSync(join(place, 'loupe-probe-'))));
  try {
    const protections = await tryOut(setup, folder);
    const missing = protections.filter(({ name, holds }) => !holds && ESSENTIAL.has(name));
    if (missing.length > 0) {
      return unavailable(
        `bubblewrap runs, but does not confine here: ${missing.map(({ detail }) => detail).join(' ')}`,
        'Commands stay off. A container or a security module may be in the way.',
        protections,
      );
    }
    return {
      report: { available: true, kind: 'bubblewrap', protections },
      workspacePath: () => SANDBOX_WORKSPACE,
      ripgrep: setup.host.ripgrep,
      run: (command) => runInBubblewrap(setup, command),
      startServer: (server) => startInBubblewrap(setup, server),
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return unavailable(error.message, startHint(error.message));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The configuration of the runner on this machine; `undefined` without bubblewrap. */
export async function bubblewrapSetup(): Promise<BubblewrapSetup | undefined> {
  const host = describeHost();
  if (host.bwrap === undefined) return undefined;
  endLeftovers();
  const filter = seccompFilter(process.arch);
  return {
    host: { ...host, bwrap: host.bwrap },
    features: await bubblewrapFeatures(host.bwrap),
    files: [...Object.values(ETC_FILES), ...(filter ? [filter] : [])].map(holdFile),
    filter: filter !== undefined,
    cgroups: findCgroupParents(),
    devices: makeDeviceNodes(),
  };
}

/** Without these, a command is not sandboxed, whatever else holds. */
const ESSENTIAL: ReadonlySet<string> = new Set([
  'filesystem',
  'network',
  'environment',
  'process-tree',
  'capabilities',
]);

function unavailable(reason: string, hint: string, protections: readonly Protection[] = []): Sandbox {
  return {
    report: { available: false, kind: 'none', protections, reason, hint },
    workspacePath: (workspace) => workspace,
    ripgrep: undefined,
    run: () => Promise.reject(new AppError({ code: 'sandbox_missing', message: reason, hint })),
    startServer: () => Promise.reject(new AppError({ code: 'sandbox_missing', message: reason, hint })),
  };
}

function startHint(message: string): string {
  if (/namespace|uid map|Operation not permitted|Permission denied/i.test(message)) {
    return 'Unprivileged user namespaces seem to be off. See kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns, or the seccomp profile of the container.';
  }
  return 'Try the same by hand: bwrap --unshare-all --ro-bind / / true';
}

async function bubblewrapFeatures(bwrap: string): Promise<BubblewrapFeatures> {
  const help = await new Promise<string>((resolve) => {
    execFile(bwrap, ['--help'], { env: environment({}) }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
  return { disableUserns: help.includes('--disable-userns'), tmpfsSize: help.includes('--size BYTES') };
}
