import { SuitePage } from '../../../components/suites/suite-page.tsx';

/** A shell without data, like every page. */
export default async function Page({ params }: { params: Promise<{ suiteId: string }> }) {
  const { suiteId } = await params;
  return <SuitePage suiteId={decodeURIComponent(suiteId)} />;
}
