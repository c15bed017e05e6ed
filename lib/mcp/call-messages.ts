import { cleanLine } from './clean-text.ts';
import {
  MAX_KEPT_MESSAGES,
  MAX_MESSAGE_LINE_CHARS,
  MAX_SHOWN_MESSAGES,
  MESSAGES_PER_SECOND,
} from './limits.ts';
import type { SecretMask } from './secrets.ts';

/** A server's messages during a call, for the log. */
export interface KeptMessages {
  lines: readonly string[];
  /** Number of messages that were dropped. */
  leftOut: number;
}

/**
 * The progress and log messages of a server during one call: shown as they arrive, limited in rate and number, and the
 * last ones kept. A new progress message replaces the one kept last.
 */
export class CallMessages {
  readonly #mask: SecretMask;
  readonly #show: ((text: string) => void) | undefined;
  readonly #now: () => number;
  #kept: { line: string; isProgress: boolean }[] = [];
  #count = 0;
  #shown = 0;
  #allowance = MESSAGES_PER_SECOND;
  #refilledAt: number;

  /** @param now milliseconds of a clock that never runs backwards */
  constructor(
    mask: SecretMask,
    show: ((text: string) => void) | undefined,
    now: () => number = () => performance.now(),
  ) {
    this.#mask = mask;
    this.#show = show;
    this.#now = now;
    this.#refilledAt = now();
  }

  /** `notifications/progress` of the call. */
  progress({ progress, total, message }: { progress: unknown; total?: unknown; message?: unknown }): void {
    const of = typeof total === 'number' ? ` of ${figure(total)}` : '';
    const text = typeof message === 'string' && message.trim() !== '' ? `: ${message}` : '';
    this.#take(`Progress ${typeof progress === 'number' ? figure(progress) : '?'}${of}${text}`, {
      isProgress: true,
    });
  }

  /** `notifications/message`. */
  message({ level, data, logger }: { level: unknown; data: unknown; logger?: unknown }): void {
    const name = typeof logger === 'string' && logger.trim() !== '' ? ` ${logger}:` : '';
    this.#take(`[${typeof level === 'string' ? level : 'message'}]${name} ${textOf(data)}`, {
      isProgress: false,
    });
  }

  get kept(): KeptMessages {
    return { lines: this.#kept.map(({ line }) => line), leftOut: this.#count - this.#kept.length };
  }

  #take(text: string, { isProgress }: { isProgress: boolean }): void {
    const line = cleanLine(text, MAX_MESSAGE_LINE_CHARS, this.#mask);
    this.#count += 1;
    if (isProgress && this.#kept.at(-1)?.isProgress) {
      this.#kept.pop();
      this.#count -= 1;
    }
    this.#kept.push({ line, isProgress });
    if (this.#kept.length > MAX_KEPT_MESSAGES) this.#kept.shift();
    if (this.#shown < MAX_SHOWN_MESSAGES && this.#mayShow()) {
      this.#shown += 1;
      this.#show?.(`${line}\n`);
    }
  }

  /** Refills over time, so that a burst is only shown in part. */
  #mayShow(): boolean {
    const now = this.#now();
    const fresh = ((now - this.#refilledAt) / 1000) * MESSAGES_PER_SECOND;
    this.#allowance = Math.min(MESSAGES_PER_SECOND, this.#allowance + fresh);
    this.#refilledAt = now;
    if (this.#allowance < 1) return false;
    this.#allowance -= 1;
    return true;
  }
}

function figure(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function textOf(data: unknown): string {
  if (typeof data === 'string') return data;
  try {
    return JSON.stringify(data) ?? '';
  } catch {
    return '(unreadable)'; // nested too deeply
  }
}
