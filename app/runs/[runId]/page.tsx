import { RunPage } from '../../../components/run/run-page.tsx';

/** A shell without data: everything shown comes from the run's event stream. */
export default async function Page({ params }: { params: Promise<{ runId: string }> }) {
  const { runId } = await params;
  return <RunPage runId={decodeURIComponent(runId)} />;
}
