import { testPage } from './run-page.ts';

testPage('sell-files', { serve: [] });
