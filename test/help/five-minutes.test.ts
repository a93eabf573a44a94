import { testPage } from './run-page.ts';

testPage('five-minutes', { serve: [] });
