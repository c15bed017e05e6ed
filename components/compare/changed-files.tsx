'use client';

import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { ComparedRun } from '#lib/api/comparison.ts';
import { passFocusOn } from '#lib/browser/focus-soon.ts';
import { type ComparedFile, comparedFiles, versionWords } from '#lib/browser/state/compared-files.ts';
import { runLetter } from '#lib/browser/state/compared-runs.ts';
import { formatCount, plural } from '#lib/browser/words/format.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { ShortName } from '../ui/foreign-name.tsx';
import { Segments } from '../ui/segments.tsx';
import { ComparedContents } from './compared-contents.tsx';
import { RunMark } from './run-mark.tsx';

/** Files listed at first, and with each further step. */
const LISTED = 100;

/** The files that the runs changed: which run changed which, and their final content. */
export function ChangedFiles({ runs }: { runs: readonly ComparedRun[] }) {
  const files = comparedFiles(runs);
  const [listed, setListed] = useState(LISTED);
  const leftOut = runs.reduce((sum, run) => sum + (run.files_left_out ?? 0), 0);
  const withCommands = runs.flatMap(({ figures }, index) =>
    Object.hasOwn(figures.tools, 'run_command') ? [runLetter(index)] : [],
  );
  return (
    <section aria-label="Changed files" className="mt-10">
      <h2 className="font-semibold">Changed files</h2>
      {files.length === 0 ? (
        <p className="mt-2 text-sm text-ink-3">No run changed a file with its file tools.</p>
      ) : (
        <ul className="mt-3 divide-y rounded-lg border bg-raised">
          {files.slice(0, listed).map((file) => (
            <FileRow key={file.path} file={file} runs={runs} />
          ))}
        </ul>
      )}
      {files.length > listed && (
        <Button
          ref={passFocusOn}
          size="sm"
          className="mt-2 max-sm:h-11 print:hidden"
          onClick={() => setListed(listed + LISTED)}
        >
          Show more of {plural(files.length, 'file')}
        </Button>
      )}
      {leftOut > 0 && (
        <p className="mt-1 text-sm text-ink-3">{formatCount(leftOut)} more files are not listed.</p>
      )}
      {withCommands.length > 0 && (
        <p className="mt-1 text-sm text-ink-3">
          Commands of {withCommands.join(', ')} may have changed other files.
        </p>
      )}
    </section>
  );
}

function FileRow({ file, runs }: { file: ComparedFile; runs: readonly ComparedRun[] }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <li>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5 px-3 py-2">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className="flex min-h-7 min-w-0 items-center gap-1.5 text-left max-sm:min-h-11 max-sm:w-full"
        >
          <ChevronRight
            aria-hidden="true"
            className={cx('size-4 shrink-0 text-ink-3 transition-transform', isOpen && 'rotate-90')}
          />
          <code className="foreign min-w-0 text-sm text-brass">
            <ShortName text={file.path} isPath />
          </code>
        </button>
        <ul
          aria-label="What each run did to it"
          className="flex flex-wrap gap-x-3 gap-y-1 text-xs sm:ml-auto"
        >
          {file.versions.map((version, index) => {
            const { did, isSame } = versionWords(file.versions[0], version);
            return (
              <li key={runLetter(index)} className="flex items-center gap-1.5">
                <RunMark letter={runLetter(index)} />
                <span className={version ? 'text-ink-2' : 'text-ink-3'}>{did}</span>
                {index > 0 && version && file.versions[0] && (
                  <span className={isSame ? 'text-ok' : 'text-warn'}>{isSame ? 'same as A' : 'differs'}</span>
                )}
              </li>
            );
          })}
        </ul>
      </div>
      {isOpen && <FileVersions file={file} runs={runs} />}
    </li>
  );
}

/** The final content in the baseline next to that in another run. */
function FileVersions({ file, runs }: { file: ComparedFile; runs: readonly ComparedRun[] }) {
  const [baseline] = file.versions;
  const differing = file.versions.findIndex((version) => version?.digest !== baseline?.digest);
  const [other, setOther] = useState(differing > 0 ? differing : 1);
  const [run, otherRun] = [runs[0]?.run, runs[other]?.run];
  if (!run || !otherRun) return null;
  return (
    <div className="grid min-w-0 gap-2 px-3 pb-3">
      {runs.length > 2 && (
        <div className="flex flex-wrap items-center gap-2 text-sm text-ink-2">
          A compared with
          <Segments
            legend="Run whose file is compared with A"
            segments={runs
              .slice(1)
              .map((_, index) => ({ id: runLetter(index + 1), label: runLetter(index + 1) }))}
            chosen={runLetter(other)}
            onChoose={(letter) => setOther(runs.findIndex((_, index) => runLetter(index) === letter))}
          />
        </div>
      )}
      <ComparedContents
        key={other}
        path={file.path}
        a={{ run, letter: 'A', version: baseline }}
        b={{ run: otherRun, letter: runLetter(other), version: file.versions[other] }}
      />
    </div>
  );
}
