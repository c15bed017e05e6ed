'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { RatingListReply, RatingReply, RatingSummary } from '#lib/api/rating.ts';
import { createOnce } from '#lib/browser/create-once.ts';
import { formatCount, formatWhen, plural } from '#lib/browser/words/format.ts';
import { useApi } from '../hooks/use-api.ts';
import { useNow } from '../hooks/use-now.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { ListPage } from '../shell/list-page.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { Link } from '../ui/link.tsx';
import { NewRating } from './new-rating.tsx';

export const STATUS_WORDS = { running: 'Rating', stopped: 'Stopped', done: 'Done' } as const;

/** All ratings, and a button for new ones. */
export function RatingsPage() {
  const { data, error, reload } = useApi<RatingListReply>('/api/ratings', 5000);
  const [opened, setOpened] = useState(false);
  const { busy, problem, run } = useRequest();
  const router = useRouter();
  const create = (body: unknown) =>
    run(async () => {
      const { rating } = await createOnce<RatingReply>('/api/ratings', body);
      router.push(`/ratings/${encodeURIComponent(rating.id)}`);
      return LEAVING;
    });
  return (
    <ListPage
      title="Ratings"
      about="Models and people score texts from runs with the same questionnaire. The results show how far they agree."
      actions={
        <Button size="sm" className="max-sm:h-11" aria-expanded={opened} onClick={() => setOpened(!opened)}>
          New rating
        </Button>
      }
      loading={!data && !error}
      error={!data && error}
      onRetry={reload}
    >
      {problem && (
        <div className="mt-6">
          <ErrorNote error={problem} />
        </div>
      )}
      {opened && data && <NewRating shipped={data.shipped} busy={busy} onCreate={create} />}
      {data && data.problems.length > 0 && (
        <div className="mt-6 grid gap-2">
          {data.problems.map((each) => (
            <ErrorNote key={each.message} error={each} />
          ))}
        </div>
      )}
      {data && data.ratings.length > 0 && (
        <ul className="mt-6 divide-y border-y">
          {data.ratings.map((rating) => (
            <li key={rating.id}>
              <RatingLine rating={rating} />
            </li>
          ))}
        </ul>
      )}
      {data?.ratings.length === 0 && data.problems.length === 0 && !opened && (
        <p className="mt-6 text-ink-3">
          No ratings yet. New rating takes a questionnaire and the runs to score.
        </p>
      )}
    </ListPage>
  );
}

function RatingLine({ rating }: { rating: RatingSummary }) {
  const now = useNow();
  const { id, name, questionnaire, subjects, status, rated, planned, created_at: createdAt } = rating;
  return (
    <Link
      href={`/ratings/${encodeURIComponent(id)}`}
      className="group -mx-3 grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-6 gap-y-1 rounded-md px-3 py-3 hover:bg-surface"
    >
      <span className="foreign min-w-0 font-medium group-hover:text-brass">
        <ShortName text={name} />
      </span>
      <span className="tnum text-right font-mono text-xs text-ink-3" suppressHydrationWarning>
        {planned > 0 && `${STATUS_WORDS[status]} ${formatCount(rated)}/${formatCount(planned)} · `}
        {formatWhen(createdAt, now)}
      </span>
      <span className="foreign col-span-2 text-sm text-ink-3">
        <ShortName text={questionnaire} /> · {plural(subjects, 'text')}
      </span>
    </Link>
  );
}
