'use client';

import { Download } from 'lucide-react';
import { useState } from 'react';
import type { RatingReply } from '#lib/api/rating.ts';
import { postJson } from '#lib/browser/api.ts';
import { keepFocus } from '#lib/browser/focus-soon.ts';
import { formatCount, plural } from '#lib/browser/words/format.ts';
import { plainVisibleLine, shortLine } from '#lib/browser/words/visible-text.ts';
import { useApi } from '../hooks/use-api.ts';
import { usePageTitle } from '../hooks/use-page-title.ts';
import { useRequest } from '../hooks/use-request.ts';
import { UnreadPage } from '../shell/unread-page.tsx';
import { Button } from '../ui/button.tsx';
import { DeleteButton } from '../ui/delete-button.tsx';
import { DownloadLink } from '../ui/download-link.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ForeignMessage } from '../ui/foreign-message.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { ParentLink } from '../ui/parent-link.tsx';
import { PersonForm } from './person-form.tsx';
import { RatingTables } from './rating-tables.tsx';
import { STATUS_WORDS } from './ratings-page.tsx';

const REFRESH_MS = 1500;

/** A stopped rating may be continued from elsewhere. */
function untilDone(last: RatingReply | undefined): number | undefined {
  return last?.rating.status === 'done' ? undefined : REFRESH_MS;
}

/** One study: its progress, the form in which a person rates, and the results on request. */
export function RatingPage({ id }: { id: string }) {
  const path = `/api/ratings/${encodeURIComponent(id)}`;
  const { data, error, reload } = useApi<RatingReply>(path, untilDone);
  const request = useRequest();
  usePageTitle(data && `${plainVisibleLine(data.study.name)} · Loupe`);
  const { busy, problem, run } = request;
  const [shown, setShown] = useState<'results' | 'rate'>();
  // The form stays while the results are shown: it has scores that are not saved yet.
  const [opened, setOpened] = useState(false);
  const act = (what: 'run' | 'stop') =>
    run(async () => {
      await postJson(`${path}/${what}`, {});
      reload();
    });
  if (!data)
    return <UnreadPage title="Rating" error={error} onRetry={reload} href="/ratings" back="All ratings" />;
  const { rating, study, failures, people, current } = data;
  return (
    <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 py-8 sm:px-6">
      <ParentLink href="/ratings">Ratings</ParentLink>
      <div className="mt-1 flex items-start justify-between gap-3">
        <h1 className="foreign text-xl font-semibold tracking-[-0.015em]">
          <ForeignText text={study.name} />
        </h1>
        {rating.status !== 'running' && (
          <DeleteButton
            path={path}
            confirmation="Delete with all scores"
            listPath="/ratings"
            request={request}
          />
        )}
      </div>
      <p className="foreign mt-1 text-ink-2">
        <ForeignText text={study.questionnaire.name} /> · {plural(study.subjects.length, 'text')} ·{' '}
        {study.models.length > 0 ? plural(study.models.length, 'model') : 'people only'}
      </p>
      <div ref={keepFocus} className="mt-4 flex flex-wrap items-center gap-3">
        {rating.planned > 0 && (
          <p className="tnum text-sm">
            {/* Without the count, which would be spoken with each rating. */}
            <span role="status">{STATUS_WORDS[rating.status]}</span>: {formatCount(rating.rated)} of{' '}
            {formatCount(rating.planned)}
            {current && ` · ${shortLine(current.rater, 40)}`}
          </p>
        )}
        {rating.status === 'running' && (
          <Button size="sm" className="max-sm:h-11" disabled={busy} onClick={() => void act('stop')}>
            Stop
          </Button>
        )}
        {rating.status === 'stopped' && study.models.length > 0 && (
          <Button size="sm" className="max-sm:h-11" disabled={busy} onClick={() => void act('run')}>
            Continue
          </Button>
        )}
        <Button
          size="sm"
          className="max-sm:h-11"
          aria-expanded={shown === 'rate'}
          onClick={() => {
            setOpened(true);
            setShown(shown === 'rate' ? undefined : 'rate');
          }}
        >
          Rate texts
        </Button>
        <Button
          size="sm"
          className="max-sm:h-11"
          aria-expanded={shown === 'results'}
          onClick={() => setShown(shown === 'results' ? undefined : 'results')}
        >
          Results
        </Button>
        <DownloadLink
          href={`${path}/scores`}
          className="inline-flex min-h-6 items-center gap-1.5 text-sm text-brass underline-offset-2 hover:underline max-sm:min-h-11"
        >
          <Download className="size-3.5" aria-hidden="true" />
          CSV
        </DownloadLink>
      </div>
      {problem && (
        <div className="mt-4">
          <ErrorNote error={problem} />
        </div>
      )}
      {failures.length > 0 && (
        <ul className="mt-4 grid gap-1 text-sm text-warn">
          {failures.map(({ rater, run_id, error: why }) => (
            <li key={`${rater} ${run_id}`} className="foreign">
              <ForeignMessage text={rater === '' ? why : `${rater}, ${run_id}: ${why}`} />
            </li>
          ))}
        </ul>
      )}
      {opened && (
        <div hidden={shown !== 'rate'}>
          <PersonForm path={path} reply={data} onRated={reload} />
        </div>
      )}
      {shown === 'results' && (
        <RatingTables path={path} study={study} rated={rating.rated + Object.values(people).flat().length} />
      )}
    </main>
  );
}
