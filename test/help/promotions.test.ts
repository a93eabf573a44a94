import { testPage } from './run-page.ts';

testPage('promotions', { serve: [] });
