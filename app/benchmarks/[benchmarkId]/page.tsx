import { BenchmarkPage } from '../../../components/benchmarks/benchmark-page.tsx';

/** A shell without data, like every page. */
export default async function Page({ params }: { params: Promise<{ benchmarkId: string }> }) {
  const { benchmarkId } = await params;
  return <BenchmarkPage benchmarkId={decodeURIComponent(benchmarkId)} />;
}
