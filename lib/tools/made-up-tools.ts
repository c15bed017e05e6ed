import type { ParameterSchema, ToolDefinition } from '../parser/types.ts';

/** A tool that does not exist. */
export function madeUpTool(name: string, description: string, parameters: ParameterSchema): ToolDefinition {
  return { type: 'function', function: { name, description, parameters } };
}

/** Made-up tools that the probes of Model Check use: two types of arguments, a list of objects, a required argument. */
export const SET_TIMER = madeUpTool('set_timer', 'Set a timer.', {
  type: 'object',
  properties: {
    label: { type: 'string', description: 'What the timer is for' },
    minutes: { type: 'integer', description: 'How long it runs' },
  },
  required: ['label', 'minutes'],
});

export const ADD_TASKS = madeUpTool('add_tasks', 'Add tasks to the plan.', {
  type: 'object',
  properties: {
    tasks: {
      type: 'array',
      description: 'The tasks in their order',
      items: {
        type: 'object',
        properties: { title: { type: 'string' }, days: { type: 'integer' } },
        required: ['title', 'days'],
      },
    },
  },
  required: ['tasks'],
});

export const SEND_NOTE = madeUpTool('send_note', 'Send a note to one person.', {
  type: 'object',
  properties: {
    to: { type: 'string', description: 'E-mail address' },
    subject: { type: 'string' },
    text: { type: 'string' },
  },
  required: ['to', 'subject', 'text'],
});
