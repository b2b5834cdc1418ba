module tsunaro.io/gateway

go 1.26.0
