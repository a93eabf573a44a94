import { testPage } from './run-page.ts';

testPage('store-reports', { serve: [] });
