'use client';

import type { InstalledModel } from '#lib/api/replies.ts';
import { canEmbed } from '#lib/browser/state/models.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { kindFacts } from '#lib/events/modes.ts';
import { Field, NumberField, Section, Switch } from '../ui/form/fields.tsx';
import type { FormPart } from './form-part.ts';

/** Settings specific to sessions and explorations: limits and diversity. */
export function EndlessFields({
  draft,
  set,
  problems,
  models,
}: FormPart & { models: readonly InstalledModel[] }) {
  const { settings, hasCycles } = kindFacts(draft.kind);
  return (
    <Section title="Limits" hint="Ends when the conversation is full or you stop it">
      <div className="grid gap-3 sm:grid-cols-3">
        {hasCycles && (
          <>
            <NumberField
              label="Cycles"
              value={draft.untilStopped ? '' : draft.maxCycles}
              onChange={(value) => set('maxCycles', value)}
              placeholder={draft.untilStopped ? 'until stopped' : '20'}
              problem={problems.maxCycles}
            />
            <NumberField
              label="Model calls per cycle"
              value={draft.callsPerCycle}
              onChange={(value) => set('callsPerCycle', value)}
              placeholder="50"
              problem={problems.callsPerCycle}
            />
          </>
        )}
        {settings.includes('turn_delay') && (
          <NumberField
            label="Pause between turns"
            unit="seconds"
            value={draft.turnDelay}
            onChange={(value) => set('turnDelay', value)}
            placeholder="none"
            problem={problems.turnDelay}
          />
        )}
        <NumberField
          label="Conversation limit"
          unit="tokens"
          value={draft.contextLimit}
          onChange={(value) => set('contextLimit', value)}
          placeholder="the window"
          problem={problems.contextLimit}
        />
      </div>
      {hasCycles && (
        <>
          <Switch
            label="Run until stopped"
            hint="No cycle limit. Three empty cycles in a row still end the run."
            checked={draft.untilStopped}
            onChange={(checked) => set('untilStopped', checked)}
          />
          <Switch
            label="Open each cycle with its number"
            hint="A neutral line such as “Cycle 3.” Without it, the model continues from its own last text."
            checked={draft.cycleLine}
            onChange={(checked) => set('cycleLine', checked)}
          />
          <Switch
            label="Advise on diversity"
            hint="Compares each reflection with earlier ones and tells the model when it repeats itself."
            checked={draft.diversity}
            onChange={(checked) => set('diversity', checked)}
          />
          {draft.diversity && (
            <div className="grid gap-3 sm:grid-cols-3">
              <NumberField
                label="Alike from"
                unit="0 to 1"
                value={draft.diversityThreshold}
                onChange={(value) => set('diversityThreshold', value)}
                placeholder="0.6"
                problem={problems.diversityThreshold}
              />
              <NumberField
                label="Reflections compared"
                value={draft.diversityWindow}
                onChange={(value) => set('diversityWindow', value)}
                placeholder="5"
                problem={problems.diversityWindow}
              />
              <Field label="Embedding model" hint="If empty, shared words are counted.">
                {(props) => (
                  <select
                    {...props}
                    className="field text-sm"
                    value={draft.embeddingModel}
                    onChange={(event) => set('embeddingModel', event.target.value)}
                  >
                    <option value="">none</option>
                    {models
                      .filter((model) => canEmbed(model) || model.name === draft.embeddingModel)
                      .map((model) => (
                        <option key={model.name} value={model.name}>
                          {shortLine(model.name)}
                        </option>
                      ))}
                  </select>
                )}
              </Field>
            </div>
          )}
        </>
      )}
    </Section>
  );
}
