import { notFound } from 'next/navigation';
import { Gallery } from '../../components/gallery/gallery.tsx';

/** Every state of a run, made from sample logs, for visual checks. Only with LOUPE_GALLERY=1. */
export default async function Page({ searchParams }: { searchParams: Promise<{ state?: string }> }) {
  if (process.env.LOUPE_GALLERY !== '1') notFound();
  const { state } = await searchParams;
  return <Gallery state={state} />;
}
