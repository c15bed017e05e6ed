'use client';

import { useState } from 'react';
import type { ModelsReply } from '#lib/api/replies.ts';
import { fieldLabel, placeholderOf } from '#lib/browser/drafts/number-fields.ts';
import { RERUN_NUMBERS } from '#lib/browser/drafts/rerun-draft.ts';
import { SETTINGS } from '#lib/events/settings.ts';
import { ModelPicker } from '../models/model-picker.tsx';
import { Disclosure } from '../run-view/timeline/row-frame.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { Choice, NumberField, Switch, THINKING } from '../ui/form/fields.tsx';
import type { RerunPart } from './rerun-part.ts';
import { TextArea } from './text-area.tsx';

/** The model and the options of the request. */
export function OptionFields({
  draft,
  problems,
  onChange,
  models,
}: RerunPart & { models: ModelsReply | undefined }) {
  const [choosing, setChoosing] = useState(false);
  return (
    <section aria-label="Model and options" className="grid min-w-0 gap-4">
      <div>
        <h3 className="caption mb-1.5">Model and options</h3>
        <Disclosure open={choosing} onToggle={() => setChoosing(!choosing)}>
          <span className="text-sm font-medium">Model</span>
          <span className="foreign min-w-0 font-mono text-sm">
            <ShortName text={draft.model} />
          </span>
        </Disclosure>
        {choosing ? (
          <div className="mt-2">
            <ModelPicker
              models={models?.models ?? []}
              value={draft.model}
              onChange={(model) => onChange({ model })}
              problem={problems.model}
            />
          </div>
        ) : (
          problems.model && <p className="mt-1 text-sm text-fail">{problems.model}</p>
        )}
      </div>
      <div className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-3 lg:grid-cols-6">
        {RERUN_NUMBERS.map((name) => (
          <NumberField
            key={name}
            {...fieldLabel(name)}
            placeholder={placeholderOf(name, undefined)}
            value={draft.numbers[name]}
            problem={problems[name]}
            onChange={(value) => onChange({ numbers: { ...draft.numbers, [name]: value } })}
          />
        ))}
      </div>
      <div className="grid items-end gap-4 md:grid-cols-2">
        <Choice
          legend={SETTINGS.think.label}
          name="rerun-think"
          value={draft.think}
          options={THINKING}
          onChange={(think) => onChange({ think })}
        />
        <Switch
          label="Streaming"
          hint="Show the reply while the model writes it."
          checked={draft.stream}
          onChange={(stream) => onChange({ stream })}
        />
      </div>
      <TextArea
        label="Other options (JSON)"
        value={draft.otherOptions}
        problem={problems.otherOptions}
        onChange={(otherOptions) => onChange({ otherOptions })}
      />
    </section>
  );
}
