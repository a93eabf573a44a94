import { testPage } from './run-page.ts';

testPage('call-the-api', { serve: [] });
