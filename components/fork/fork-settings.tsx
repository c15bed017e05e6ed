'use client';

import { useMemo } from 'react';
import type { ModelsReply } from '#lib/api/replies.ts';
import { toolsToChoose } from '#lib/browser/drafts/fork-draft.ts';
import { canRun, modelsRefresh } from '#lib/browser/state/models.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { FETCH_TOOL } from '#lib/events/added-tools.ts';
import { kindFacts, kindOf } from '#lib/events/modes.ts';
import { MODEL_OPTIONS, SETTINGS } from '#lib/events/settings.ts';
import { useApi } from '../hooks/use-api.ts';
import { Field, NumberField, THINKING } from '../ui/form/fields.tsx';
import { HostsField } from '../ui/form/hosts-field.tsx';
import { ToolChoice } from '../ui/form/tool-choice.tsx';
import { NotOfferedNote } from '../ui/not-offered-note.tsx';
import type { ForkPart } from './fork-part.ts';

/** The model and the settings that a fork may change. */
export function ForkSettings({ point, draft, problems, onChange }: ForkPart) {
  const { data } = useApi<ModelsReply>('/api/models', modelsRefresh());
  const names = useMemo(() => {
    const found = data?.models.filter(canRun).map(({ name }) => name) ?? [];
    return found.includes(point.config.model) ? found : [point.config.model, ...found];
  }, [data, point]);
  const { endsBy, unit } = kindFacts(kindOf(point.config));
  const tools = toolsToChoose(point.config);
  return (
    <section aria-label="Model and settings">
      <h3 className="caption mb-1.5">Model and settings</h3>
      <div className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-[minmax(0,2fr)_repeat(3,minmax(0,1fr))]">
        <Field label="Model" problem={problems.model} className="max-sm:col-span-2">
          {(props) => (
            <select
              {...props}
              className="field font-mono text-sm"
              value={draft.model}
              onChange={(event) => onChange({ model: event.target.value })}
            >
              {names.map((name) => (
                <option key={name} value={name}>
                  {shortLine(name)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <NumberField
          label={MODEL_OPTIONS.temperature.label}
          placeholder={MODEL_OPTIONS.temperature.form.empty}
          value={draft.temperature}
          onChange={(temperature) => onChange({ temperature })}
          problem={problems.temperature}
        />
        <NumberField
          label={MODEL_OPTIONS.seed.label}
          placeholder="none"
          value={draft.seed}
          onChange={(seed) => onChange({ seed })}
          problem={problems.seed}
        />
        {(endsBy === 'max_iterations' || endsBy === 'max_cycles') && (
          <NumberField
            label={`${unit}s`}
            placeholder={endsBy === 'max_cycles' ? 'until stopped' : 'limit'}
            value={draft.limit}
            onChange={(limit) => onChange({ limit })}
            problem={problems.limit}
          />
        )}
        <Field label={SETTINGS.think.label} className="max-sm:col-span-2">
          {(props) => (
            <select
              {...props}
              className="field"
              value={draft.think}
              onChange={(event) => onChange({ think: THINKING[event.target.selectedIndex]?.value })}
            >
              {THINKING.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        <NumberField
          label={SETTINGS.window_tokens.label}
          placeholder={String(point.config.window_tokens)}
          value={draft.window}
          onChange={(window) => onChange({ window })}
          problem={problems.window}
        />
        <NumberField
          label={SETTINGS.num_predict.label}
          placeholder={String(point.config.num_predict[0])}
          value={draft.reply}
          onChange={(reply) => onChange({ reply })}
          problem={problems.reply}
        />
      </div>
      <NotOfferedNote models={data?.models ?? []} className="mt-2" />
      {tools.length > 0 && (
        <div className="mt-3">
          <span className="mb-1 block text-sm font-medium">{SETTINGS.tools.label}</span>
          <ToolChoice
            tools={tools.map((name) => ({ name }))}
            chosen={draft.tools}
            onChange={(name, isChosen) =>
              onChange({
                tools: isChosen ? [...draft.tools, name] : draft.tools.filter((each) => each !== name),
              })
            }
          />
          {problems.tools && <p className="mt-1 text-xs text-fail">{problems.tools}</p>}
          {draft.tools.includes(FETCH_TOOL) && (
            <HostsField
              value={draft.hosts}
              onChange={(hosts) => onChange({ hosts })}
              problem={problems.hosts}
            />
          )}
        </div>
      )}
    </section>
  );
}
