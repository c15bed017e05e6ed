import { placeholderOf } from '#lib/browser/drafts/number-fields.ts';
import { KIND_WORDS } from '#lib/browser/words/mode-words.ts';
import { kindFacts, runKinds } from '#lib/events/modes.ts';
import { defaultSettings, SETTINGS } from '#lib/events/settings.ts';
import { Choice, Field, NumberField, Section, Switch } from '../ui/form/fields.tsx';
import { SuiteChoice } from './suite-choice.tsx';
import { useExperimentField } from './use-experiment-field.ts';

const MODE_OPTIONS = runKinds.map((value) => ({ value, label: kindFacts(value).label }));

const WORK_OPTIONS = [
  { value: 'task' as const, label: 'One task' },
  { value: 'suite' as const, label: 'A suite' },
];

const DEFAULT_CYCLES = placeholderOf(
  'max_cycles',
  defaultSettings({ mode: 'explore', agentic: true }).max_cycles,
);

/** What each run does: one task or exploration, or a case of a suite. */
export function Work() {
  const name = useExperimentField('name');
  const work = useExperimentField('work');
  return (
    <Section title="What each run does">
      <Field label="Name" problem={name.problem}>
        {(props) => (
          <input
            {...props}
            className="field"
            value={name.value}
            onChange={(event) => name.set(event.target.value)}
            placeholder="Two temperatures, five seeds"
          />
        )}
      </Field>
      <Choice
        legend="Work"
        name="experiment-work"
        value={work.value}
        onChange={work.set}
        options={WORK_OPTIONS}
      />
      {work.value === 'suite' ? <SuiteChoice /> : <Task />}
    </Section>
  );
}

function Task() {
  const mode = useExperimentField('mode');
  const work = useExperimentField('task');
  const diversity = useExperimentField('diversity');
  const cycles = useExperimentField('cycles');
  const folder = useExperimentField('workspace');
  const { task, usesFiles, hasCycles } = kindFacts(mode.value);
  return (
    <>
      <Choice
        legend="Mode"
        name="experiment-mode"
        value={mode.value}
        onChange={mode.set}
        options={MODE_OPTIONS}
      />
      {task !== 'none' && (
        <Field
          label={KIND_WORDS[mode.value].experimentTask ?? 'Task'}
          hint={KIND_WORDS[mode.value].experimentHint}
          problem={work.problem}
        >
          {(props) => (
            <textarea
              {...props}
              className="field min-h-20 resize-y"
              value={work.value}
              onChange={(event) => work.set(event.target.value)}
            />
          )}
        </Field>
      )}
      {hasCycles && (
        <>
          <div className="w-40 max-w-full">
            <NumberField
              label="Cycles each"
              placeholder={DEFAULT_CYCLES}
              value={cycles.value}
              onChange={cycles.set}
              problem={cycles.problem}
            />
          </div>
          <Switch
            label={SETTINGS.diversity.label}
            hint="Tells the model when its reflections repeat themselves."
            checked={diversity.value}
            onChange={diversity.set}
          />
        </>
      )}
      {usesFiles && (
        <Field
          label="Folder to copy"
          hint="Each run works on a fresh copy of it. If empty, each run gets an empty folder."
          problem={folder.problem}
        >
          {(props) => (
            <input
              {...props}
              className="field font-mono text-sm"
              value={folder.value}
              onChange={(event) => folder.set(event.target.value)}
              placeholder="/home/ada/texts"
            />
          )}
        </Field>
      )}
    </>
  );
}
