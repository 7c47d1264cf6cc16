// Trades with the Go SDK: an order that rests is shown and canceled; a position is opened and closed; the fills come over the socket.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/sonirico/go-hyperliquid"
)

const (
	coin     = "ETH"
	size     = 0.01
	patience = time.Minute
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	if err := trade(ctx, os.Getenv("BASE")); err != nil {
		log.Fatal(err)
	}
}

// base is the address that bin/start prints, with the key in it.
func trade(ctx context.Context, base string) error {
	key, err := crypto.HexToECDSA(strings.TrimPrefix(os.Getenv("WALLET_PRIVATE_KEY"), "0x"))
	if err != nil {
		return err
	}
	user := crypto.PubkeyToAddress(key.PublicKey).Hex()
	exchange := hyperliquid.NewExchange(ctx, key, base, nil, "", user, nil, nil)
	info := exchange.Info()

	mids, err := info.AllMids(ctx)
	if err != nil {
		return err
	}
	mid, err := strconv.ParseFloat(mids[coin], 64)
	if err != nil {
		return err
	}
	state, err := info.UserState(ctx, user)
	if err != nil {
		return err
	}
	fmt.Println("account value", state.MarginSummary.AccountValue)

	fills, err := listen(ctx, base, user)
	if err != nil {
		return err
	}
	resting, err := exchange.Order(ctx, limitOrder(mid*0.9, hyperliquid.TifGtc), nil)
	if err != nil {
		return err
	}
	if resting.Resting == nil {
		return fmt.Errorf("the order does not rest: %+v", resting)
	}
	oid := resting.Resting.Oid
	if err := show(ctx, info, user, oid); err != nil {
		return err
	}
	if _, err := exchange.Cancel(ctx, coin, oid); err != nil {
		return err
	}
	fmt.Println("canceled", oid)

	bought, err := exchange.MarketOpen(ctx, coin, true, size, nil, 0.05, nil, nil)
	if err != nil {
		return err
	}
	if err := hear(ctx, fills, bought); err != nil {
		return err
	}
	sold, err := exchange.MarketClose(ctx, coin, nil, nil, 0.05, nil, nil)
	if err != nil {
		return err
	}
	return hear(ctx, fills, sold)
}

// The socket wants its whole address, with /ws at its end. A fill reaches the subscription that has the account's address
// in the letters of the message, and those are small.
func listen(ctx context.Context, base, user string) (<-chan hyperliquid.WsOrderFills, error) {
	socket := hyperliquid.NewWebsocketClient(base + "/ws")
	if err := socket.Connect(ctx); err != nil {
		return nil, err
	}
	fills := make(chan hyperliquid.WsOrderFills, 100)
	params := hyperliquid.OrderFillsSubscriptionParams{User: strings.ToLower(user)}
	_, err := socket.OrderFills(params, func(message hyperliquid.WsOrderFills, err error) {
		if err != nil {
			log.Fatal(err)
		}
		fills <- message
	})
	return fills, err
}

func show(ctx context.Context, info *hyperliquid.Info, user string, oid int64) error {
	orders, err := info.OpenOrders(ctx, user)
	if err != nil {
		return err
	}
	for _, order := range orders {
		if order.Oid == oid {
			fmt.Println("resting", order.Oid, "at", order.LimitPx)
			return nil
		}
	}
	return errors.New("the order is not shown")
}

// hear waits for the fill of an order that has been answered.
func hear(ctx context.Context, fills <-chan hyperliquid.WsOrderFills, answer hyperliquid.OrderStatus) error {
	if answer.Filled == nil {
		return fmt.Errorf("the order is not filled: %+v", answer)
	}
	oid := int64(answer.Filled.Oid)
	for {
		select {
		case message := <-fills:
			for _, fill := range message.Fills {
				if fill.Oid == oid {
					fmt.Printf("fill of %d: %s %v at %v\n", oid, fill.Dir, fill.Sz, fill.Px)
					return nil
				}
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// A purchase; prices of perpetuals have five significant digits at most.
func limitOrder(price float64, tif hyperliquid.Tif) hyperliquid.CreateOrderRequest {
	return hyperliquid.CreateOrderRequest{
		Coin:      coin,
		IsBuy:     true,
		Price:     math.Round(price),
		Size:      size,
		OrderType: hyperliquid.OrderType{Limit: &hyperliquid.LimitOrderType{Tif: tif}},
	}
}
