import { ModelError } from './model-error.ts';
import { callOllama, connectOllama } from './ollama-connection.ts';
import type { OllamaHost } from './ollama-host.ts';
import { pullLine } from './ollama-wire.ts';

/** Large models take long on slow connections; Ollama itself aborts stalled downloads. */
const PULL_TIMEOUT_MS = 24 * 3_600_000;

/** Progress arrives many times a second for hours, so each line is bounded, but not the total. */
const PULL_LIMITS = { maxLineBytes: 64 * 1024, maxStreamBytes: Number.POSITIVE_INFINITY };

/** Progress of a pull: Ollama's name of the step, and the bytes of the current part. */
export interface PullProgress {
  step: string;
  /** Digest of the part being downloaded. */
  part?: string;
  completedBytes?: number;
  totalBytes?: number;
}

/**
 * Pulls a model from Ollama's library. Closing the connection cancels the pull; Ollama keeps partial downloads, and a
 * later pull continues from there.
 *
 * @throws {ModelError} with a hint: unknown name, disk full, network down, Ollama too old
 */
export async function pullModel(
  host: OllamaHost,
  model: string,
  options: { signal: AbortSignal; onProgress: (progress: PullProgress) => void },
): Promise<void> {
  const onTimeout = () =>
    new ModelError({ kind: 'timeout', message: `Ollama did not fetch "${model}" within a day.` });
  try {
    await callOllama(
      connectOllama(host, PULL_LIMITS),
      {
        signal: options.signal,
        timeoutMs: PULL_TIMEOUT_MS,
        onTimeout,
        asked: { model },
      },
      async (call) => {
        const body = [Buffer.from(JSON.stringify({ model, insecure: false, stream: true }))];
        await call.postForLines('/api/pull', body, (line) => {
          const { status, digest, completed, total } = pullLine.parse(line);
          options.onProgress({
            step: status,
            part: digest,
            // Ollama omits a count of 0.
            completedBytes: total === undefined ? undefined : (completed ?? 0),
            totalBytes: total,
          });
          return status === 'success' ? 'last' : 'more';
        });
      },
    );
  } catch (error) {
    throw error instanceof ModelError && error.kind !== 'aborted' ? explained(error, model) : error;
  }
}

/** Adds a hint to the error. */
function explained(error: ModelError, model: string): ModelError {
  const say = (code: string, message: string, hint: string) =>
    new ModelError({ kind: error.kind, code, message, hint, status: error.status, cause: error });
  const text = error.message;
  if (/file does not exist|manifest unknown|not found|invalid model name/i.test(text)) {
    return say(
      'model_unknown',
      `Ollama's library has no "${model}".`,
      'Look the name up at https://ollama.com/library; a tag such as :8b is part of it.',
    );
  }
  if (/no space left|disk quota|not enough (disk )?space/i.test(text)) {
    return say(
      'no_space',
      `There is no disk space for "${model}" where Ollama keeps its models.`,
      'Remove a model (ollama rm NAME), or choose a smaller one. What was fetched is kept.',
    );
  }
  if (/newer version of Ollama|requires (a )?newer/i.test(text)) {
    return say(
      'ollama_too_old',
      `"${model}" needs a newer Ollama than this one.`,
      'Update Ollama: https://ollama.com/download. Then fetch the model again.',
    );
  }
  if (/dial tcp|lookup |no such host|i\/o timeout|max retries|TLS|connection re(set|fused)|EOF/i.test(text)) {
    return say(
      'library_unreachable',
      `Ollama cannot reach its library: ${text}`,
      'Is this machine online? Downloaded data is kept, so pulling again resumes.',
    );
  }
  return error;
}
