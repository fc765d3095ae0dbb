package com.shop.money;
public class Money { public static Money zero() { return null; } }
