# freqtrade, live, at the address in BASE: one trade, and then the orders that it had. A variable stands for a place in
# config.json; what it names below "ccxt_config" goes to ccxt as it is.
set -eu
export FREQTRADE__EXCHANGE__CCXT_CONFIG__URLS__API__public="$BASE"
export FREQTRADE__EXCHANGE__CCXT_CONFIG__URLS__API__private="$BASE"
export FREQTRADE__EXCHANGE__CCXT_CONFIG__URLS__API__WS__public="ws${BASE#http}/ws"
export FREQTRADE__EXCHANGE__WALLET_ADDRESS="$WALLET_ADDRESS"
export FREQTRADE__EXCHANGE__PRIVATE_KEY="$WALLET_PRIVATE_KEY"
export FREQTRADE__DB_URL="sqlite:///user_data/trades.sqlite"
mkdir -p user_data
rm -f user_data/trades.sqlite

# The strategy ends the bot by an interrupt; 130 is the status of that.
.venv/bin/freqtrade trade --config config.json --strategy-path strategies --strategy OneTrade --user-data-dir user_data || [ $? -eq 130 ]
.venv/bin/freqtrade show-trades --db-url "$FREQTRADE__DB_URL" --print-json
