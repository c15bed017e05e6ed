import type { CreateRunRequest } from '../../api/create-run.ts';
import type { RunSettings } from '../../api/run-settings.ts';
import type { OperatorPolicy } from '../../events/settings.ts';

/** The policies as forms offer them. */
export const OPERATOR_POLICY_WORDS: Readonly<Record<OperatorPolicy, { label: string; help: string }>> = {
  none: {
    label: 'Only yours',
    help: 'The agent gets what you wrote until its next message; it does not wait.',
  },
  wait: {
    label: 'Wait for yours',
    help: 'The cycle waits for your reply to each message, without a time limit.',
  },
  fixed: { label: 'A fixed reply', help: 'Each message gets the same reply, unless you wrote first.' },
  list: { label: 'A list of replies', help: 'Each message gets the next reply, unless you wrote first.' },
  model: { label: 'A model', help: 'A local model answers each message, unless you wrote first.' },
};

/** The part of a draft that says who answers the agent's messages. */
export interface OperatorDraft {
  operator_policy: OperatorPolicy;
  /** The fixed reply, or a reply per line. */
  operator_replies: string;
  operator_model: string;
  operator_prompt: string;
}

export const emptyOperator: OperatorDraft = {
  operator_policy: 'none',
  operator_replies: '',
  operator_model: '',
  operator_prompt: '',
};

type Problems = Partial<Record<keyof OperatorDraft, string>>;

/** What a draft requests, or what is missing. Pure. */
export function operatorFields(draft: OperatorDraft): {
  request: Partial<CreateRunRequest>;
  problems: Problems;
} {
  const { operator_policy, operator_model: model } = draft;
  switch (operator_policy) {
    case 'none':
    case 'wait':
      return { request: { operator_policy }, problems: {} };
    case 'fixed':
    case 'list': {
      const text = draft.operator_replies.trim();
      const lines = text.split('\n').map((line) => line.trim());
      const replies = operator_policy === 'fixed' ? [text] : lines;
      const given = replies.filter((reply) => reply !== '');
      return given.length === 0
        ? { request: {}, problems: { operator_replies: 'Enter a reply.' } }
        : { request: { operator_policy, operator_replies: given }, problems: {} };
    }
    case 'model': {
      if (model === '') return { request: {}, problems: { operator_model: 'Choose a model.' } };
      const prompt = draft.operator_prompt.trim();
      return {
        request: {
          ...{ operator_policy, operator_model: model },
          ...(prompt === '' ? {} : { operator_prompt: prompt }),
        },
        problems: {},
      };
    }
  }
}

/** A draft with the policy of a former run. Pure. */
export function operatorDraft(settings: RunSettings): OperatorDraft {
  const {
    operator_policy = 'none',
    operator_replies = [],
    operator_model = '',
    operator_prompt = '',
  } = settings;
  return {
    ...{ operator_policy, operator_model, operator_prompt },
    operator_replies: operator_policy === 'fixed' ? (operator_replies[0] ?? '') : operator_replies.join('\n'),
  };
}
