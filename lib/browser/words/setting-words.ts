import type { Check } from '../../events/check.ts';
import { isCheckType } from '../../events/check-kinds.ts';
import { checkText } from '../../events/check-text.ts';
import {
  BUDGET_LIMITS,
  DIVERSITY_LIMITS,
  MODEL_OPTIONS,
  type NumberFacts,
  SETTINGS,
} from '../../events/settings.ts';
import { isRecord, type JsonObject, type JsonValue } from '../../util/json.ts';
import { formatCount, formatDuration } from './format.ts';

type Facts = Pick<NumberFacts, 'label' | 'unit'>;

/** Labels of configuration fields that are not settings or have another name. */
const OTHERS: Readonly<Record<string, Facts>> = {
  agentic: { label: 'Tools' },
  call_timeout_ms: { label: SETTINGS.call_timeout_seconds.label, unit: 'milliseconds' },
  default: { label: 'Every call' },
  embedding_model: { label: 'Embedding model' },
  input_usd_per_million: { label: 'Input (USD per million tokens)' },
  load_timeout_ms: { label: SETTINGS.load_timeout_seconds.label, unit: 'milliseconds' },
  mode: { label: 'Mode' },
  model: { label: 'Model' },
  output_usd_per_million: { label: 'Output (USD per million tokens)' },
  price: { label: 'Price' },
  task: { label: 'Task' },
  usd_per_kwh: { label: 'USD per kWh' },
  watts: { label: 'Watts' },
};

const FACTS = new Map<string, Facts>(
  [SETTINGS, BUDGET_LIMITS, DIVERSITY_LIMITS, MODEL_OPTIONS, OTHERS].flatMap((facts) =>
    Object.entries<Facts>(facts),
  ),
);

/** A setting as text; one that no form shows, such as an option of Ollama, keeps its own name. */
export function settingName(name: string): string {
  return FACTS.get(name)?.label ?? name;
}

/** Formats a setting's value for display: one line per check, durations with units, no JSON. */
export function settingText(name: string, value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'not set';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') {
    return numberText(value, FACTS.get(name)?.unit);
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return 'none';
    if (name === 'num_predict') return value.map(Number).map(formatCount).join(', then ');
    return value.map((each) => settingText('', each)).join(value.every(isScalar) ? ', ' : '\n');
  }
  if (isCheck(value)) return checkText(value);
  return fieldLines(value).join('\n') || 'none';
}

/** A number with its unit. Only counts of something have separators: a seed is a name. */
function numberText(value: number, unit: NumberFacts['unit']): string {
  switch (unit) {
    case 'milliseconds':
      return formatDuration(value);
    case 'seconds':
      return formatDuration(value * 1000);
    case 'tokens':
    case 'characters':
      return formatCount(value);
    case 'USD':
      return `${value} USD`;
    default:
      return String(value);
  }
}

/** One field per line; fields of a nested object, such as approval rules by tool, are listed among them. */
function fieldLines(value: JsonObject): string[] {
  return Object.entries(value).flatMap(([field, of]) =>
    isRecord(of) ? fieldLines(of) : [`${settingName(field)}: ${settingText(field, of)}`],
  );
}

function isScalar(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null;
}

function isCheck(value: object): value is Check {
  return 'type' in value && isCheckType(value.type);
}
