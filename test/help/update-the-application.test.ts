import { testPage } from './run-page.ts';

testPage('update-the-application', { serve: [] });
