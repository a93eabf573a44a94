import { testPage } from './run-page.ts';

testPage('stock-and-prices', { serve: [] });
