import { testPage } from './run-page.ts';

testPage('several-servers', { serve: [] });
