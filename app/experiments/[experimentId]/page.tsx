import { ExperimentPage } from '../../../components/experiments/experiment-page.tsx';

/** A shell without data, like every page. */
export default async function Page({ params }: { params: Promise<{ experimentId: string }> }) {
  const { experimentId } = await params;
  return <ExperimentPage experimentId={decodeURIComponent(experimentId)} />;
}
