import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { unlessGone } from './fake-reply.ts';
import type { FakeModelInput } from './scenario.ts';

/** A model of the fake library, which `/api/pull` can pull. */
export interface LibraryModel {
  model: FakeModelInput;
  /** The error that Ollama sends instead of the last lines if the pull fails midway. */
  error?: string;
}

/** Where a pull is held until a test releases it. */
export interface PullHold {
  /** Share of the bytes, 0 to 1. */
  at: number;
  released: Promise<void>;
}

const STEPS = 10;

/**
 * Writes the lines of a pull like Ollama: manifest, layers with their bytes, checks, success. Returns whether it
 * succeeded.
 */
export async function sendPull(
  res: ServerResponse,
  wanted: LibraryModel | undefined,
  { hold, gone }: { hold: PullHold | undefined; gone: AbortSignal },
): Promise<boolean> {
  const line = (value: object) => res.write(`${JSON.stringify(value)}\n`);
  res.writeHead(200, { 'content-type': 'application/x-ndjson' });
  line({ status: 'pulling manifest' });
  if (!wanted) {
    line({ error: 'pull model manifest: file does not exist' });
    res.end();
    return false;
  }
  const bytes = wanted.model.size_bytes ?? 1_000_000;
  const parts = [Math.round(bytes * 0.95), bytes - Math.round(bytes * 0.95)];
  for (const [index, total] of parts.entries()) {
    const digest = `sha256:${createHash('sha256').update(`${wanted.model.name} ${index}`).digest('hex')}`;
    const status = `pulling ${digest.slice(7, 19)}`;
    for (let step = 0; step <= STEPS; step += 1) {
      const completed = Math.round((total * step) / STEPS);
      line({ status, digest, total, ...(completed > 0 && { completed }) });
      if (index === 0 && hold && hold.at * STEPS === step) await unlessGone(hold.released, gone);
    }
    if (wanted.error !== undefined) {
      line({ error: wanted.error });
      res.end();
      return false;
    }
  }
  for (const status of ['verifying sha256 digest', 'writing manifest', 'success']) line({ status });
  res.end();
  return true;
}
