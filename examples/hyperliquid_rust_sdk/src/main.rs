//! Trades with the Rust SDK: an order that rests is shown and canceled; a position is opened and closed; the fills come over the socket.
use std::{env, error::Error, time::Duration};

use ethers::signers::{LocalWallet, Signer};
use hyperliquid_rust_sdk::{
    BaseUrl, ClientCancelRequest, ClientLimit, ClientOrder, ClientOrderRequest, ExchangeClient,
    ExchangeDataStatus, ExchangeResponseStatus, InfoClient, Message, Subscription,
};
use tokio::{
    sync::mpsc::{unbounded_channel, UnboundedReceiver},
    time::timeout,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

const COIN: &str = "ETH";
const SIZE: f64 = 0.01;
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::main]
async fn main() -> Outcome<()> {
    let wallet: LocalWallet = env::var("WALLET_PRIVATE_KEY")?.trim_start_matches("0x").parse()?;
    let user = wallet.address();
    let mut info = info_client().await?;
    let exchange = exchange_client(wallet).await?;

    let mids = info.all_mids().await?;
    let mid: f64 = mids.get(COIN).ok_or("no price")?.parse()?;
    let state = info.user_state(user).await?;
    println!("account value {}", state.margin_summary.account_value);

    let (sender, mut heard) = unbounded_channel();
    info.subscribe(Subscription::UserFills { user }, sender).await?;

    let oid = match first_status(exchange.order(buy(mid * 0.9, "Gtc"), None).await?)? {
        ExchangeDataStatus::Resting(order) => order.oid,
        other => return Err(format!("the order does not rest: {other:?}").into()),
    };
    let resting = info.open_orders(user).await?;
    let shown = resting.iter().find(|order| order.oid == oid).ok_or("the order is not shown")?;
    println!("resting {} at {}", shown.oid, shown.limit_px);
    let cancel = ClientCancelRequest { asset: COIN.to_string(), oid };
    match first_status(exchange.cancel(cancel, None).await?)? {
        ExchangeDataStatus::Success => println!("canceled {oid}"),
        other => return Err(format!("the order is not canceled: {other:?}").into()),
    }

    // `market_open` and `market_close` know the addresses of the venue only; these are the orders that they place.
    let bought = filled(exchange.order(buy(mid * 1.05, "Ioc"), None).await?)?;
    hear(&mut heard, bought).await?;
    let close = ClientOrderRequest { is_buy: false, reduce_only: true, ..buy(mid * 0.95, "Ioc") };
    let sold = filled(exchange.order(close, None).await?)?;
    hear(&mut heard, sold).await
}

/// `InfoClient::new` takes one of three addresses; its field takes any, with or without a path.
async fn info_client() -> Outcome<InfoClient> {
    let mut info = InfoClient::new(None, Some(BaseUrl::Localhost)).await?;
    info.http_client.base_url = env::var("BASE")?;
    Ok(info)
}

/// `ExchangeClient::new` asks the address of its enum for the markets, so the client is made of its fields.
async fn exchange_client(wallet: LocalWallet) -> Outcome<ExchangeClient> {
    let info = info_client().await?;
    let meta = info.meta().await?;
    let coins = meta.universe.iter().map(|coin| coin.name.clone());
    Ok(ExchangeClient {
        coin_to_asset: coins.zip(0..).collect(),
        http_client: info.http_client,
        wallet,
        meta,
        vault_address: None,
    })
}

/// Prices of perpetuals have five significant digits at most.
fn buy(price: f64, tif: &str) -> ClientOrderRequest {
    ClientOrderRequest {
        asset: COIN.to_string(),
        is_buy: true,
        reduce_only: false,
        limit_px: price.round(),
        sz: SIZE,
        cloid: None,
        order_type: ClientOrder::Limit(ClientLimit { tif: tif.to_string() }),
    }
}

async fn hear(heard: &mut UnboundedReceiver<Message>, oid: u64) -> Outcome<()> {
    loop {
        let message = timeout(PATIENCE, heard.recv()).await?.ok_or("the socket has closed")?;
        let Message::UserFills(fills) = message else { continue };
        if let Some(fill) = fills.data.fills.iter().find(|fill| fill.oid == oid) {
            println!("fill of {oid}: {} {} at {}", fill.dir, fill.sz, fill.px);
            return Ok(());
        }
    }
}

fn filled(response: ExchangeResponseStatus) -> Outcome<u64> {
    match first_status(response)? {
        ExchangeDataStatus::Filled(order) => Ok(order.oid),
        other => Err(format!("the order is not filled: {other:?}").into()),
    }
}

fn first_status(response: ExchangeResponseStatus) -> Outcome<ExchangeDataStatus> {
    match response {
        ExchangeResponseStatus::Ok(answer) => {
            let statuses = answer.data.ok_or("no statuses")?.statuses;
            Ok(statuses.first().ok_or("no status")?.clone())
        }
        ExchangeResponseStatus::Err(text) => Err(text.into()),
    }
}
