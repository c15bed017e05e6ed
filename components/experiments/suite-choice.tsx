import { useSearchParams } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import { useFormContext } from 'react-hook-form';
import type { ShippedSuiteReply, SuiteCase, SuiteListReply, SuiteReply } from '#lib/api/suite.ts';
import { getJson } from '#lib/browser/api.ts';
import { casesOf, type DraftSuite, type ExperimentDraft } from '#lib/browser/drafts/experiment-draft.ts';
import { plural } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { DEFAULT_MODE } from '#lib/events/modes.ts';
import { useApi } from '../hooks/use-api.ts';
import { useRequest } from '../hooks/use-request.ts';
import { cx } from '../ui/cx.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { Field } from '../ui/form/fields.tsx';
import { useExperimentField } from './use-experiment-field.ts';

/** Marks the value of a suite that ships with Loupe. */
const SHIPPED = 'shipped:';

/** Chooses a suite, and its cases by tag. */
export function SuiteChoice() {
  const { data } = useApi<SuiteListReply>('/api/suites', 10_000);
  const suite = useExperimentField('suite');
  const tags = useExperimentField('tags');
  const { getValues } = useFormContext<ExperimentDraft>();
  const asked = useSearchParams().get('suite') ?? '';
  const [chosen, setChosen] = useState(suite.value ? optionOf(suite.value) : asked);
  const { busy, problem, setProblem, run } = useRequest();
  const latest = useRef(chosen);
  const read = (value: string) =>
    run(async () => {
      try {
        const found = await readSuite(value);
        if (latest.current !== value) return;
        suite.set(found);
        const known = new Set(found.cases.flatMap((one) => one.tags));
        tags.set(getValues('tags').filter((tag) => known.has(tag)));
      } catch (error) {
        if (latest.current === value) throw error;
      }
    });
  const choose = (value: string) => {
    latest.current = value;
    setChosen(value);
    suite.set(null);
    tags.set([]);
    setProblem(undefined);
    if (value !== '') void read(value);
  };
  // A link of a suite opens the form with it, and a suite that was chosen before a reload may have changed since.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the form opens
  useEffect(() => {
    if (chosen !== '') void read(chosen);
  }, []);
  return (
    <>
      <Field
        label="Suite"
        hint="Each case has its own task, files, tools and checks. The experiment keeps the cases as they are now."
        problem={suite.problem}
      >
        {(props) => (
          <select
            {...props}
            className="field"
            value={chosen}
            onChange={(event) => choose(event.target.value)}
            aria-busy={busy}
          >
            <option value="">Choose a suite</option>
            {data?.suites.map(({ id, name, cases }) => (
              <option key={id} value={id}>
                {shortLine(name)} ({plural(cases, 'case')})
              </option>
            ))}
            {data?.shipped.map(({ name, title, cases }) => (
              <option key={name} value={`${SHIPPED}${name}`}>
                {title}, as shipped ({plural(cases, 'case')})
              </option>
            ))}
          </select>
        )}
      </Field>
      {problem && <ErrorNote error={problem} />}
      {suite.value && <Tags suite={suite.value} chosen={tags.value} onChange={tags.set} />}
    </>
  );
}

function Tags({
  suite,
  chosen,
  onChange,
}: {
  suite: DraftSuite;
  chosen: readonly string[];
  onChange: (tags: readonly string[]) => void;
}) {
  const known = [...new Set(suite.cases.flatMap(({ tags }) => tags))];
  if (known.length === 0) return null;
  return (
    <fieldset>
      <legend className="text-sm font-medium">Only cases with a tag</legend>
      <div className="mt-1.5 flex flex-wrap gap-2">
        {known.map((tag) => (
          <label
            key={tag}
            className={cx(
              'flex items-center gap-2 rounded-md border px-2.5 py-1 text-sm max-sm:min-h-11',
              chosen.includes(tag) && 'border-brass-line bg-brass-wash',
            )}
          >
            <input
              type="checkbox"
              className="accent-brass-fill"
              checked={chosen.includes(tag)}
              onChange={(event) =>
                onChange(event.target.checked ? [...chosen, tag] : chosen.filter((each) => each !== tag))
              }
            />
            <span className="foreign">{shortLine(tag)}</span>
          </label>
        ))}
      </div>
      <p className="tnum mt-1.5 text-sm text-ink-3">
        {plural(casesOf(suite, chosen).length, 'case')} of {suite.cases.length}
      </p>
    </fieldset>
  );
}

function optionOf({ reference }: DraftSuite): string {
  return 'id' in reference ? reference.id : `${SHIPPED}${reference.shipped}`;
}

async function readSuite(value: string): Promise<DraftSuite> {
  if (value.startsWith(SHIPPED)) {
    const shipped = value.slice(SHIPPED.length);
    const { name, cases } = await getJson<ShippedSuiteReply>(
      `/api/shipped-suites/${encodeURIComponent(shipped)}`,
    );
    return { reference: { shipped }, name, cases: cases.map(draftCase) };
  }
  const { suite, cases } = await getJson<SuiteReply>(`/api/suites/${encodeURIComponent(value)}`);
  return { reference: { id: value }, name: suite.name, cases: cases.map(draftCase) };
}

function draftCase({ mode = DEFAULT_MODE, tags = [] }: SuiteCase): DraftSuite['cases'][number] {
  return { mode, tags };
}
