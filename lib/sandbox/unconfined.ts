import { runInProcessGroup } from './run-process-group.ts';
import type { Protection, Sandbox } from './sandbox.ts';
import { startUnconfined } from './start-server-unconfined.ts';

const REASON = 'Commands run without confinement, as the user who started the server.';

/**
 * Runs commands without a sandbox, for users who enable it and approve each command. Time, output and the process group
 * are still supervised; nothing else is protected, and the report says so.
 */
export function openUnconfined(): Sandbox {
  const protections: Protection[] = [
    { name: 'filesystem', holds: false, detail: 'Commands can change every file of this user.' },
    { name: 'network', holds: false, detail: 'Commands can reach the network and this machine.' },
    {
      name: 'environment',
      holds: true,
      detail: "Commands are not given the server's environment variables.",
    },
    {
      name: 'process-tree',
      holds: false,
      detail:
        'A process can outlive its command by starting a new session. Its output is read for one more second.',
    },
    { name: 'cpu-time', holds: true, detail: 'CPU time is limited.' },
    { name: 'open-files', holds: true, detail: 'The number of open files is limited.' },
  ];
  return {
    report: {
      available: true,
      kind: 'none',
      protections,
      reason: REASON,
      hint: 'Approve only what you would type yourself.',
    },
    workspacePath: (workspace) => workspace,
    ripgrep: undefined,
    run: (command) => runInProcessGroup(command, (argv) => argv),
    startServer: startUnconfined,
  };
}
