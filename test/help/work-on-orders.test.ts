import { testPage } from './run-page.ts';

testPage('work-on-orders', { serve: [] });
