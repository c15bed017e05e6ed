import { shortMiddle } from '../../util/short-text.ts';
import { plainVisibleLine, shortLine } from './visible-text.ts';

/** Enough for `hf.co/unsloth/Qwen3-8B-128K-GGUF:Q4_K_M`. */
const LABEL_CHARS = 40;

/**
 * A model's name for a legend, an option or a sentence. Names of one family differ at their ends, in size and quantization,
 * so a long one loses its folders first, and then its middle. Pure.
 */
export function modelLabel(model: string): string {
  const name = plainVisibleLine(model);
  if (name.length <= LABEL_CHARS) return name;
  const base = name.slice(name.lastIndexOf('/') + 1);
  const short = base === name ? name : `…/${base}`;
  return shortMiddle(short.length <= LABEL_CHARS ? short : base, LABEL_CHARS);
}

/** The labels of models that are shown together, in order: those that would be equal have their names in full. Pure. */
export function modelLabels(models: readonly string[]): string[] {
  const labels = models.map(modelLabel);
  const isOnly = (label: string) => labels.indexOf(label) === labels.lastIndexOf(label);
  return labels.map((label, index) => (isOnly(label) ? label : shortLine(models[index] ?? '', 300)));
}
