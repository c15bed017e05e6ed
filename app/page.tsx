import { Home } from '../components/home/home.tsx';

export default function Page() {
  return <Home />;
}
