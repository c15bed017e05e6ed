import { RatingPage } from '../../../components/ratings/rating-page.tsx';

/** A shell without data, like every page. */
export default async function Page({ params }: { params: Promise<{ ratingId: string }> }) {
  const { ratingId } = await params;
  return <RatingPage id={decodeURIComponent(ratingId)} />;
}
