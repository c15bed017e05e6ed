import type { HealthReply } from '../api/replies.ts';
import type { SandboxReport } from '../sandbox/sandbox.ts';

/** Combines the health of all parts into one overall status. */
export function healthOf(
  checks: Pick<HealthReply, 'ollama' | 'model' | 'demo'>,
  parts: {
    version: string;
    build: string | undefined;
    commands: SandboxReport;
    unconfined: boolean;
    commandChecks: boolean;
    store: {
      kind: string;
      path: string;
      free_bytes: number;
      answers: boolean;
      read_only?: HealthReply['store']['read_only'];
    };
    /** New runs are rejected below this much free space. */
    minFreeBytes: number;
  },
): Omit<HealthReply, 'runs'> {
  const { version, build, unconfined, commandChecks, minFreeBytes } = parts;
  const { available, kind, reason, hint, protections } = parts.commands;
  const { answers, ...store } = parts.store;
  const hasRoom = store.free_bytes >= minFreeBytes;
  const ready = checks.ollama.ok && (checks.model?.ok ?? true);
  // A missing model means "down" even if other parts are still unknown.
  const unknown = [checks.ollama, checks.model].every((check) => !check || check.ok || check.unknown);
  const whole = available && !unconfined && hasRoom && !store.read_only;
  return {
    status: ready ? (whole ? 'ok' : 'degraded') : unknown ? 'unknown' : 'down',
    version,
    build,
    ...checks,
    sandbox: {
      ...{ available, kind, unconfined, command_checks: commandChecks, reason, hint },
      protections: [...protections],
    },
    store: { ok: hasRoom && answers && !store.read_only, ...store },
  };
}
