import { addReading, type ModelReading } from '../api/model-reading.ts';
import type { InstalledModel } from '../api/replies.ts';
import { fullName } from '../util/model-name.ts';

/** Adds parsing statistics to each model. Runs may have used `qwen3` or `qwen3:latest`; both are the same model. */
export function withReadings(
  models: readonly InstalledModel[],
  readings: ReadonlyMap<string, ModelReading>,
): InstalledModel[] {
  const byModel = new Map<string, ModelReading>();
  for (const [name, reading] of readings) {
    const known = byModel.get(fullName(name));
    byModel.set(fullName(name), known ? addReading(known, reading) : reading);
  }
  return models.map((model) => ({ ...model, reading: byModel.get(fullName(model.name)) }));
}
