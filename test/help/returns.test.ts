import { testPage } from './run-page.ts';

testPage('returns', { serve: [] });
