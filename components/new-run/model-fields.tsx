'use client';

import { draftDefaults } from '#lib/browser/drafts/run-draft.ts';
import { kindFacts } from '#lib/events/modes.ts';
import { Choice, Field, NumberField, Section, Switch, THINKING } from '../ui/form/fields.tsx';
import type { FormPart } from './form-part.ts';

/** The most common model options. */
export function ModelBehaviour({ draft, set, problems }: FormPart) {
  const defaults = draftDefaults(draft);
  return (
    <Section title="Model behaviour">
      <Switch
        label="Live tokens"
        hint="Show text while the model writes it."
        checked={draft.liveTokens}
        onChange={(checked) => set('liveTokens', checked)}
      />
      <Choice
        legend="Thinking"
        name="think"
        value={draft.think}
        onChange={(value) => set('think', value)}
        options={THINKING}
      />
      <div className="grid gap-3 sm:grid-cols-3">
        <NumberField
          label="Temperature"
          value={draft.temperature}
          onChange={(value) => set('temperature', value)}
          placeholder="model's own"
          problem={problems.temperature}
        />
        <NumberField
          label="Seed"
          value={draft.seed}
          onChange={(value) => set('seed', value)}
          placeholder="random"
          problem={problems.seed}
        />
        <NumberField
          label="Window"
          unit="tokens"
          value={draft.windowTokens}
          onChange={(value) => set('windowTokens', value)}
          placeholder={String(defaults.window_tokens)}
          problem={problems.windowTokens}
        />
      </div>
    </Section>
  );
}

/** Further options, collapsed. */
export function AdvancedFields({ draft, set, problems }: FormPart) {
  const { settings } = kindFacts(draft.kind);
  const defaults = draftDefaults(draft);
  return (
    <details className="group border-t py-6">
      <summary className="reach flex w-fit items-center gap-2 font-semibold">
        <svg
          viewBox="0 0 8 8"
          className="size-2 text-ink-3 transition-transform group-open:rotate-90"
          aria-hidden="true"
        >
          <path d="M2 0.5 6 4 2 7.5" fill="none" stroke="currentColor" strokeWidth="1.4" />
        </svg>
        Advanced
      </summary>
      <div className="mt-4 grid gap-4 md:pl-[13.5rem]">
        {settings.includes('system') && (
          <Field label="System prompt (added first)" hint="Placed before the tool rules.">
            {(props) => (
              <textarea
                {...props}
                className="field min-h-20 resize-y font-mono text-sm"
                value={draft.system}
                onChange={(event) => set('system', event.target.value)}
              />
            )}
          </Field>
        )}
        <div className="grid gap-3 sm:grid-cols-3">
          <NumberField
            label="Call limit"
            unit="seconds"
            value={draft.callTimeout}
            onChange={(value) => set('callTimeout', value)}
            placeholder="120"
            problem={problems.callTimeout}
          />
          <NumberField
            label="Load limit"
            unit="seconds"
            value={draft.loadTimeout}
            onChange={(value) => set('loadTimeout', value)}
            placeholder="600"
            problem={problems.loadTimeout}
          />
          <Field label="Keep loaded for" hint="A duration such as 30m, or a number of seconds.">
            {(props) => (
              <input
                {...props}
                className="field font-mono text-sm"
                placeholder="30m"
                value={draft.keepAlive}
                onChange={(event) => set('keepAlive', event.target.value)}
              />
            )}
          </Field>
          <NumberField
            label="Reply limit"
            unit="tokens"
            value={draft.predictFirst}
            onChange={(value) => set('predictFirst', value)}
            placeholder={String(defaults.num_predict[0])}
            problem={problems.predictFirst}
          />
          <NumberField
            label="Second reply limit"
            unit="tokens"
            value={draft.predictSecond}
            onChange={(value) => set('predictSecond', value)}
            placeholder={String(defaults.num_predict[1])}
            problem={problems.predictSecond}
          />
          {settings.includes('compact_at') && (
            <>
              <NumberField
                label="Shorten results at"
                unit="share of the window"
                value={draft.compactAt}
                onChange={(value) => set('compactAt', value)}
                placeholder="0.75"
                problem={problems.compactAt}
              />
              <NumberField
                label="Longest single result"
                unit="characters"
                value={draft.resultChars}
                onChange={(value) => set('resultChars', value)}
                placeholder={String(defaults.result_chars)}
                problem={problems.resultChars}
              />
            </>
          )}
          <NumberField
            label="Top p"
            value={draft.topP}
            onChange={(value) => set('topP', value)}
            placeholder="model's own"
            problem={problems.topP}
          />
          <NumberField
            label="Top k"
            value={draft.topK}
            onChange={(value) => set('topK', value)}
            placeholder="model's own"
            problem={problems.topK}
          />
        </div>
      </div>
    </details>
  );
}
