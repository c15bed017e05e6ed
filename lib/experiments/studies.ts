import type { Study, StudyPlan, StudySize } from '../api/study.ts';
import { PARSER_LAYERS } from '../parser/layers.ts';

interface Draft extends Omit<Study, 'plans'> {
  full: Omit<StudyPlan, 'name'>;
  /** The changes of the small size. */
  small: Partial<StudyPlan>;
}

const BASICS = (tags: string[]) => ({ suite: { shipped: 'basics', tags } });
const SMALL_BASICS = (...cases: string[]) => ({ suite: { shipped: 'basics', cases }, repeats: 1 });

const DRAFTS: readonly Draft[] = [
  {
    name: 'multi-step',
    title: 'Multi-step reliability',
    question: 'How often does a model finish tasks of several steps, and does it do so every time?',
    meaning:
      'pass@5 says what the model can do, pass^5 what you can rely on: the gap between them is luck. The columns calls_native, calls_json and calls_xml say which parser layer read its calls; calls outside the native layer are lost in programs that only read native calls.',
    full: { ...BASICS(['several steps', 'use of results']), repeats: 5 },
    small: SMALL_BASICS('read.one-file', 'read.json-value'),
  },
  {
    name: 'tool-count',
    title: 'Number of tools',
    question: 'How many tools can a model be offered before it chooses badly, natively and as text?',
    meaning:
      'Distractor tools are offered beside the real ones. A pass rate that falls with their number is a reason to offer fewer tools. Compare the cells that read native calls only with those that read all layers: the difference is what calls written as text are worth.',
    full: {
      ...BASICS(['read', 'search']),
      factors: {
        distractor_tools: [0, 1, 5, 10, 20, 40],
        parser_layers: [['native'], [...PARSER_LAYERS]],
      },
      repeats: 2,
    },
    small: {
      ...SMALL_BASICS('read.one-file'),
      factors: { distractor_tools: [0, 40], parser_layers: [['native'], [...PARSER_LAYERS]] },
    },
  },
  {
    name: 'compaction',
    title: 'Compaction threshold',
    question: 'At which share of the window should older results be shortened?',
    meaning:
      'Shortening early keeps room for the answer but loses what was read; shortening late risks a full window. The best value has the highest pass rate without runs that end with a full window.',
    full: {
      suite: { shipped: 'long-reading' },
      factors: { compact_at: [0.3, 0.5, 0.7, 0.9] },
      settings: { window_tokens: 4096 },
      repeats: 3,
    },
    small: {
      suite: { shipped: 'long-reading', cases: ['long.total'] },
      factors: { compact_at: [0.3, 0.9] },
      repeats: 1,
    },
  },
  {
    name: 'reply-limit',
    title: 'Reply limit',
    question: 'How many tokens does a reply need before answers and calls are no longer cut off?',
    meaning:
      'Replies that reach the limit are counted as cut_offs. Choose the smallest limit at which they are gone and the pass rate no longer rises. Models that think need more.',
    full: {
      ...BASICS(['read', 'several steps']),
      factors: { num_predict: [128, 512, 2048, 8192] },
      repeats: 2,
    },
    small: { ...SMALL_BASICS('read.one-file'), factors: { num_predict: [128, 2048] } },
  },
  {
    name: 'guards',
    title: 'Guards on and off',
    question: 'What do the guards against stalls, repetition and announced work save, and what do they cost?',
    meaning:
      'With guards, runs that go nowhere end early: compare iterations and tokens. If the pass rate is lower with a guard, it ended runs that would have succeeded.',
    full: {
      ...BASICS(['several steps', 'recovering from errors']),
      factors: { stall_guard: [true, false], repetition_threshold: [3, 20], nudge_plans: [true, false] },
      repeats: 2,
    },
    small: {
      ...SMALL_BASICS('read.one-file'),
      factors: { stall_guard: [true, false], repetition_threshold: [3, 20] },
    },
  },
  {
    name: 'session-length',
    title: 'Length of a session',
    question: 'How long does a session last until its window is full, and what does a handover keep?',
    meaning:
      'Without a handover, the turns before the limit are how long a session lasts; a larger window lasts longer but slows each call. With one, it goes on: read in its timeline what the summary kept.',
    full: {
      mode: 'session',
      task: 'Explore the folder, then write a short story into story.md, chapter by chapter, and go on without asking.',
      factors: { context_limit: [2048, 4096, 8192], handover_at: [null, 0.8] },
      settings: { autopilot_turns: 200, autopilot_seconds: 1800 },
      repeats: 3,
    },
    small: {
      factors: { context_limit: [1024], handover_at: [null, 0.8] },
      settings: { autopilot_turns: 6, autopilot_seconds: 120 },
      repeats: 1,
    },
  },
  {
    name: 'exploration',
    title: 'Exploration without a task',
    question:
      'What does a model do when nobody asks for anything, and does feedback on repetition change it?',
    meaning:
      'Compare the novelty of reflections and the number of memories with and without feedback. Rate the last reflections with a questionnaire to compare how they read.',
    full: {
      mode: 'explore',
      cycles: 10,
      factors: { diversity_feedback: [true, false] },
      settings: { diversity: {}, think: true },
      repeats: 5,
    },
    small: { cycles: 2, repeats: 1, settings: { diversity: {} } },
  },
];

/** The studies that ship with Loupe. */
export const STUDIES: readonly Study[] = DRAFTS.map(({ full, small, ...study }) => {
  const plan = { name: study.title, ...full };
  return {
    ...study,
    plans: { full: plan, small: { ...plan, ...small } } satisfies Record<StudySize, StudyPlan>,
  };
});
