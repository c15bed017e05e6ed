'use client';

import type { InstalledModel } from '#lib/api/replies.ts';
import { OPERATOR_POLICY_WORDS } from '#lib/browser/drafts/operator-draft.ts';
import { canRun } from '#lib/browser/state/models.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { MAX_OPERATOR_TEXT_CHARS } from '#lib/events/limits.ts';
import { OPERATOR_POLICIES, type OperatorPolicy, SETTINGS } from '#lib/events/settings.ts';
import { Field } from '../ui/form/fields.tsx';
import { useDraftField } from './run-form.ts';

/** Who answers the messages that the agent of an exploration sends. */
export function OperatorFields({ models }: { models: readonly InstalledModel[] }) {
  const policy = useDraftField('operator_policy');
  const replies = useDraftField('operator_replies');
  return (
    <div className="grid gap-3">
      <Field label={SETTINGS.operator_policy.label} hint={OPERATOR_POLICY_WORDS[policy.value].help}>
        {(props) => (
          <select
            {...props}
            className="field text-sm sm:max-w-md"
            value={policy.value}
            onChange={(event) => policy.set(event.target.value as OperatorPolicy)}
          >
            {OPERATOR_POLICIES.map((each) => (
              <option key={each} value={each}>
                {OPERATOR_POLICY_WORDS[each].label}
              </option>
            ))}
          </select>
        )}
      </Field>
      {(policy.value === 'fixed' || policy.value === 'list') && (
        <Field
          label={policy.value === 'fixed' ? 'Reply' : SETTINGS.operator_replies.label}
          hint={policy.value === 'list' ? 'One per line. After the last, messages get no answer.' : undefined}
          problem={replies.problem}
        >
          {(props) => (
            <textarea
              {...props}
              className="field min-h-20 text-sm"
              maxLength={MAX_OPERATOR_TEXT_CHARS}
              value={replies.value}
              onChange={(event) => replies.set(event.target.value)}
            />
          )}
        </Field>
      )}
      {policy.value === 'model' && <ReplyingModel models={models} />}
    </div>
  );
}

function ReplyingModel({ models }: { models: readonly InstalledModel[] }) {
  const model = useDraftField('operator_model');
  const prompt = useDraftField('operator_prompt');
  return (
    <>
      <Field label={SETTINGS.operator_model.label} problem={model.problem}>
        {(props) => (
          <select
            {...props}
            className="field text-sm sm:max-w-md"
            value={model.value}
            onChange={(event) => model.set(event.target.value)}
          >
            <option value="">choose</option>
            {models
              .filter((each) => canRun(each) || each.name === model.value)
              .map(({ name }) => (
                <option key={name} value={name}>
                  {shortLine(name)}
                </option>
              ))}
          </select>
        )}
      </Field>
      <Field label={SETTINGS.operator_prompt.label} hint="If empty, it answers briefly and gives no tasks.">
        {(props) => (
          <textarea
            {...props}
            className="field min-h-20 text-sm"
            maxLength={MAX_OPERATOR_TEXT_CHARS}
            value={prompt.value}
            onChange={(event) => prompt.set(event.target.value)}
          />
        )}
      </Field>
    </>
  );
}
