import type { HealthReply } from '../api/replies.ts';
import type { SandboxReport } from '../sandbox/sandbox.ts';

/** The health of all parts, and the worst of them in a word. */
export function healthOf(
  checks: Pick<HealthReply, 'ollama' | 'model' | 'demo'>,
  parts: {
    version: string;
    commands: SandboxReport;
    unconfined: boolean;
    store: { kind: string; path: string; free_bytes: number; answers: boolean };
    /** New runs are refused below this much free space. */
    minFreeBytes: number;
  },
): Omit<HealthReply, 'runs'> {
  const { version, unconfined, minFreeBytes } = parts;
  const { available, kind, reason, hint, protections } = parts.commands;
  const { answers, ...store } = parts.store;
  const hasRoom = store.free_bytes >= minFreeBytes;
  const ready = checks.ollama.ok && (checks.model?.ok ?? true);
  const whole = available && !unconfined && hasRoom;
  return {
    status: ready ? (whole ? 'ok' : 'degraded') : 'down',
    version,
    ...checks,
    sandbox: { available, kind, unconfined, reason, hint, protections: [...protections] },
    store: { ok: hasRoom && answers, ...store },
  };
}
