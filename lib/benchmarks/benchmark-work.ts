import type { BenchmarkRecord } from '../api/benchmark.ts';
import type { Category } from '../api/benchmark-categories.ts';
import type { FunctionCase } from '../function-calling/function-case.ts';
import type { ChatModel, ModelOptions } from '../model/chat-model.ts';

/** A case of a benchmark, to be put to a model. */
export interface PlannedCase {
  /** From 1. */
  readonly position: number;
  readonly model: string;
  readonly one: FunctionCase;
}

/** All cases in order: model by model, so that each is loaded once. */
export function plannedCases(
  { models, categories }: Pick<BenchmarkRecord, 'models' | 'categories'>,
  cases: ReadonlyMap<Category, readonly FunctionCase[]>,
): PlannedCase[] {
  const each = categories.flatMap(({ name, cases: count }) => (cases.get(name) ?? []).slice(0, count));
  return models
    .flatMap((model) => each.map((one) => ({ model, one })))
    .map((planned, index) => ({ ...planned, position: index + 1 }));
}

/** How many results a benchmark has when it is finished. */
export function totalOf({ models, categories }: Pick<BenchmarkRecord, 'models' | 'categories'>): number {
  return models.length * categories.reduce((sum, { cases }) => sum + cases, 0);
}

/** The model server's data about a model, and the options of its calls: temperature 0. */
export async function prepareModel(
  chat: ChatModel,
  name: string,
  { record, signal }: { record: Pick<BenchmarkRecord, 'window_tokens' | 'num_predict'>; signal: AbortSignal },
): Promise<{ details: BenchmarkRecord['details'][string]; options: ModelOptions }> {
  const [server, shown] = [await chat.ping(signal), await chat.show(name, signal)];
  const { window_tokens, num_predict } = record;
  return {
    details: {
      ...(shown.digest && { digest: shown.digest }),
      ...(shown.quantization && { quantization: shown.quantization }),
      ...(shown.parameterSize && { parameter_size: shown.parameterSize }),
      ...(server.version && { ollama_version: server.version }),
    },
    options: {
      temperature: 0,
      seed: 1,
      num_ctx: Math.min(window_tokens, shown.maxContextTokens ?? window_tokens),
      num_predict,
    },
  };
}
